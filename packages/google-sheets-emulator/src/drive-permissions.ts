import type { Permission } from './drive-file.js';
import { existing } from './drive-files.js';
import { PERMISSION, PERMISSION_LIST, permissionResource, selectFields } from './drive-resource.js';
import type { Exchange } from './exchange.js';
import { invalidArgument } from './google-error.js';
import { stringAt } from './json.js';
import { permissionId } from './store.js';

const TYPES = ['user', 'group', 'domain', 'anyone'] as const;
const ROLES = ['organizer', 'fileOrganizer', 'writer', 'commenter', 'reader'];
const STANDARD = 'kind,id,type,role';

/** `POST …/permissions`: shares the file. Sharing again with the same grantee changes the role, not the id. */
export function createPermission(exchange: Exchange, fileId: string): unknown {
  const { store, query } = exchange;
  const file = existing(exchange, fileId);
  const wanted = requested(exchange);
  const index = file.permissions.findIndex((each) => each.id === wanted.id);
  const before = file.permissions[index];
  const permission = before?.role === 'owner' ? before : wanted;
  file.permissions.splice(index < 0 ? file.permissions.length : index, index < 0 ? 0 : 1, permission);
  if (permission.emailAddress && query.get('sendNotificationEmail') !== 'false') {
    const message = query.get('emailMessage');
    file.notifications.push({
      emailAddress: permission.emailAddress,
      ...(message !== null && { message }),
      at: store.now(),
    });
  }
  store.touch(file);
  return selectFields(permissionResource(permission), exchange, PERMISSION, STANDARD);
}

/** `GET …/permissions` */
export function listPermissions(exchange: Exchange, fileId: string): unknown {
  const permissions = existing(exchange, fileId).permissions.map(permissionResource);
  const list = { kind: 'drive#permissionList', permissions };
  return selectFields(list, exchange, PERMISSION_LIST, `kind,nextPageToken,permissions(${STANDARD})`);
}

function requested({ body }: Exchange): Permission {
  const type = TYPES.find((each) => each === body.type);
  const role = ROLES.find((each) => each === body.role);
  if (!type) throw invalid('The permission type field is required.', 'permission.type');
  if (!role) throw invalid('The permission role field is required.', 'permission.role');
  if (type === 'anyone') return { id: 'anyoneWithLink', type, role };
  if (type === 'domain') {
    const domain = stringAt(body, 'domain');
    if (!domain) throw invalid('The domain field is required.', 'permission.domain');
    return { id: permissionId(domain), type, role, domain };
  }
  const emailAddress = stringAt(body, 'emailAddress');
  if (!emailAddress || !/^[^\s@]+@[^\s@]+$/.test(emailAddress)) {
    throw invalidArgument(
      'The specified emailAddress is invalid or not applicable for the given permission type.',
      {
        reason: 'invalid',
        location: 'permission.emailAddress',
        locationType: 'other',
      },
    );
  }
  return { id: permissionId(emailAddress), type, role, emailAddress };
}

function invalid(message: string, location: string): Error {
  return invalidArgument(message, { reason: 'required', location, locationType: 'other' });
}
