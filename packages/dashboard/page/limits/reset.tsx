import { Act } from '../parts/act.js';

/** A button that gives a limit or a rate back to what the handlers say. */
export function Reset({ of, name }: { readonly of: 'limit' | 'rate'; readonly name: string }) {
  return (
    <Act
      permission="limits"
      path={`${of}s/reset`}
      body={{ name }}
      done={`The ${of} ${name} is as the handlers say again.`}
      label={`Reset the ${of} ${name}`}
    >
      Reset
    </Act>
  );
}
