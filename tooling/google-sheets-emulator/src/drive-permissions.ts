import type { Permission } from './drive-file.js';
import { existing } from './drive-files.js';
import { PERMISSION, permissionResource, selectFields } from './drive-resource.js';
import type { Exchange } from './exchange.js';
import { invalidArgument } from './google-error.js';
import { stringAt } from './json.js';
import { permissionId } from './store.js';

const ROLES = ['organizer', 'fileOrganizer', 'writer', 'commenter', 'reader'];
const STANDARD = 'kind,id,type,role';

/** `POST …/permissions`: shares the file with a user. Sharing again with the same grantee changes the role, not the id. */
export function createPermission(exchange: Exchange, fileId: string): unknown {
  const { store, query } = exchange;
  const file = existing(exchange, fileId);
  const wanted = requested(exchange);
  const index = file.permissions.findIndex((each) => each.id === wanted.id);
  const before = file.permissions[index];
  const permission = before?.role === 'owner' ? before : wanted;
  file.permissions.splice(index < 0 ? file.permissions.length : index, index < 0 ? 0 : 1, permission);
  if (query.get('sendNotificationEmail') !== 'false')
    file.notifications.push({ emailAddress: permission.emailAddress, at: store.now() });
  store.touch(file);
  return selectFields(permissionResource(permission), exchange, PERMISSION, STANDARD);
}

function requested({ body }: Exchange): Permission {
  const role = ROLES.find((each) => each === body.role);
  if (body.type !== 'user')
    throw invalid('Not emulated: sharing with anybody but a user.', 'required', 'type');
  if (!role) throw invalid('The permission role field is required.', 'required', 'role');
  const emailAddress = stringAt(body, 'emailAddress');
  if (!emailAddress || !/^[^\s@]+@[^\s@]+$/.test(emailAddress))
    throw invalid(
      'The specified emailAddress is invalid or not applicable for the given permission type.',
      'invalid',
      'emailAddress',
    );
  return { id: permissionId(emailAddress), type: 'user', role, emailAddress };
}

function invalid(message: string, reason: string, member: string): Error {
  return invalidArgument(message, { reason, location: `permission.${member}`, locationType: 'other' });
}
