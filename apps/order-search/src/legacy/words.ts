/** What the shop sells, by the names of its goods. */
export const GOODS = [
  'Outboard motor',
  'Inboard motor',
  'Bilge pump',
  'Fuel tank',
  'Fuel filter',
  'Water pump',
  'Impeller',
  'Propeller',
  'Anchor',
  'Anchor chain',
  'Winch',
  'Battery charger',
  'Chart plotter',
  'Depth sounder',
  'Radio',
  'Antenna',
  'Compass',
  'Navigation light',
  'Searchlight',
  'Life jacket',
  'Life raft',
  'Fire extinguisher',
  'Fender',
  'Mooring line',
  'Cleat',
  'Shackle',
  'Block',
  'Sail',
  'Boom',
  'Mast step',
  'Rudder',
  'Tiller',
  'Steering wheel',
  'Throttle cable',
  'Spark plug',
  'Starter motor',
  'Alternator',
  'Heat exchanger',
  'Exhaust hose',
  'Seacock',
  'Toilet pump',
  'Galley stove',
  'Refrigerator',
  'Solar panel',
  'Wind generator',
  'Inverter',
  'Oar',
  'Rowlock',
  'Rowing seat',
  'Dinghy',
];

export const QUALITIES = [
  'stainless',
  'bronze',
  'brass',
  'carbon',
  'heavy duty',
  'compact',
  'folding',
  'electric',
  'manual',
  'twin',
  'marine grade',
  'light',
];

export const TEXTS = [
  'Fits most boats up to eight metres. Comes with bolts and a gasket.',
  'For salt water. Rinse with fresh water after use.',
  'Replaces the older model without changes to the mount.',
  'Twelve and twenty-four volts. Cable not included.',
  'Made of one piece. The seal is a wearing part and can be ordered apart.',
  'Tested to the standard of the class. Keep the certificate with the boat.',
  'Two years of warranty when fitted by a dealer.',
];

export const COMMENTS = [
  'Deliver to the harbour office, the customer is on board.',
  'Customer collects at the counter.',
  'Call before delivery, the gate is locked.',
  'Second order of the same goods this year.',
  'Gift: no prices in the parcel.',
  'Invoice goes to the insurance.',
  'Wanted before the regatta.',
];

export const COMPLAINTS = [
  'does not start when cold',
  'leaks at the seal after ten hours',
  'shaft is bent, looks like a knock in transport',
  'display stays dark',
  'noise from the bearing under load',
  'arrived with a cracked housing',
  'corrosion after one season',
  'wrong thread, does not fit the old mount',
];

export const ANSWERS = [
  'Sent a replacement under warranty.',
  'Customer sends photographs.',
  'Maker agrees, credit note follows.',
  'Refused: fitted without the gasket.',
  'Waits for the part from the maker.',
  'Repaired in the workshop, no charge.',
];

export const CARRIERS = ['Northern Parcel', 'Harbour Freight', 'Blue Van', 'Coastline Express'];

export const METHODS = ['card', 'transfer', 'cash', 'invoice'];

export const STATUSES = ['open', 'packed', 'shipped', 'paid', 'closed'];

export const BRANCHES = ['Hamburg', 'Rotterdam', 'Gdansk', 'Brest', 'Porto', 'Aarhus'];
