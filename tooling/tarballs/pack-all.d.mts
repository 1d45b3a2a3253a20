/** The packages that go to npm. */
export function publishedPackages(): { name: string; version: string; folder: string }[];

/**
 * Packs every published package into the folder, exactly as it would be published. They must have been built.
 * @returns the paths of the tarballs
 */
export function packAll(folder: string): Promise<string[]>;

/** Packs the package of one folder into another. @returns the path of the tarball */
export function packFrom(from: string, folder: string): Promise<string>;
