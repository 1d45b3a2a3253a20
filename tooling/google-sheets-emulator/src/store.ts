import { createHash, randomBytes } from 'node:crypto';
import { type DriveFile, type Permission, SPREADSHEET } from './drive-file.js';
import { newSheet } from './sheet.js';

/** What is asked for when a file is made. */
export interface NewFile {
  readonly name: string;
  readonly mimeType: string;
  readonly owner: string;
  readonly appProperties?: Record<string, string>;
  readonly parents?: string[];
}

/** All files of the emulated Drive, in memory, in the order they were made. */
export class Store {
  readonly #files = new Map<string, DriveFile>();
  #changed: () => void = () => {};

  constructor(readonly now: () => number) {}

  /** Calls back after every change. */
  onChange(changed: () => void): void {
    this.#changed = changed;
  }

  files(): readonly DriveFile[] {
    return [...this.#files.values()];
  }

  find(id: string): DriveFile | undefined {
    return this.#files.get(id);
  }

  create(wanted: NewFile): DriveFile {
    const { owner, ...metadata } = wanted;
    const at = this.now();
    const file: DriveFile = {
      // Google's ids of spreadsheets have 44 characters and begin with 1.
      id: `1${randomBytes(33).toString('base64url').slice(1)}`,
      appProperties: {},
      parents: ['root'],
      ...metadata,
      trashed: false,
      createdTime: at,
      modifiedTime: at,
      version: 1,
      permissions: [{ id: permissionId(owner), type: 'user', role: 'owner', emailAddress: owner }],
      notifications: [],
      sheets: wanted.mimeType === SPREADSHEET ? [newSheet(0, 'Sheet1')] : [],
    };
    this.#files.set(file.id, file);
    this.#changed();
    return file;
  }

  /** Notes that the file was changed. */
  touch(file: DriveFile): void {
    file.version += 1;
    file.modifiedTime = this.now();
    this.#changed();
  }

  /** Puts back what `files` gave, after a restart. */
  restore(files: readonly DriveFile[]): void {
    for (const file of files) this.#files.set(file.id, file);
  }
}

/** Google's permission ids are one per grantee: sharing twice with one address gives the same id. */
export function permissionId(emailAddress: string): Permission['id'] {
  const digest = createHash('sha256').update(emailAddress.trim().toLowerCase()).digest();
  return String(digest.readBigUInt64BE(0)).padStart(20, '0');
}
