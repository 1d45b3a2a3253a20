import { useChange } from '../parts/use-change.js';

export function SetRate() {
  const { isBusy, make } = useChange();
  return (
    <form
      class="panel"
      aria-labelledby="set-rate"
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        const name = String(form.get('name'));
        const [limit, seconds, burst] = ['limit', 'seconds', 'burst'].map((each) => Number(form.get(each)));
        void make(
          'rates/set',
          { name, limit, perMs: Math.round((seconds ?? 0) * 1000), burst },
          `Set the rate ${name}.`,
        );
      }}
    >
      <h2 id="set-rate">Set a rate</h2>
      <label>
        Name of the rate
        <input name="name" required maxLength={128} />
      </label>
      <label>
        How many starts
        <input type="number" name="limit" required min={1} max={1000000} />
      </label>
      <label>
        In how many seconds
        <input type="number" name="seconds" required min={0.001} max={2678400} step="any" />
      </label>
      <label>
        How many at once
        <input type="number" name="burst" required min={1} max={1000} defaultValue={1} />
      </label>
      <button type="submit" disabled={isBusy}>
        Set the rate
      </button>
    </form>
  );
}
