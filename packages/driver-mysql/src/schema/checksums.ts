/** SHA-256 of each migration, in their order. A test writes this file: see CONTRIBUTING.md. */
export const CHECKSUMS = {
  '0001_jobs': '6cbe0cbf15c80192d99dca911ba9bff7500a0b49af1a1422fd00ecb72f20504f',
  '0002_enqueue': 'b0a3727726f4cf4b3d142f90129d014b3c610150ad75dc0638f62a297f918e9b',
  '0003_limits': '4d9a86f9c01cc289dae4612a9315b21e606f5a115f4a918048d4c081e93e3d1d',
  '0004_expiry': '5d20c14444c8c997e4b1e9270104a401bf47f7859602f5c4054ae9ba29561945',
  '0005_workers': '70187db1f0c638fccd371996ca7212574b1e61f5ad838286c26991555d5625b6',
  '0006_audit': '515f72f06df14124b0b4a26ece207ea33d0ba9ba3df89e5d847142d2f3ba180b',
};
