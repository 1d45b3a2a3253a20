import { useChange } from '../parts/use-change.js';

export function SetLimit() {
  const { isBusy, make } = useChange();
  return (
    <form
      class="panel"
      aria-labelledby="set-limit"
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        const name = String(form.get('name'));
        void make('limits/set', { name, max: Number(form.get('max')) }, `Set the limit ${name}.`);
      }}
    >
      <h2 id="set-limit">Set a limit</h2>
      <label>
        Name of the limit
        <input name="name" required maxLength={128} />
      </label>
      <label>
        How many at once
        <input type="number" name="max" required min={1} max={1000} />
      </label>
      <button type="submit" disabled={isBusy}>
        Set the limit
      </button>
    </form>
  );
}
