/** Rows as text, in columns; numbers to the right. */
export function table(head, rows) {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => String(row[column] ?? '').length)));
  const line = (row) =>
    row
      .map((cell, column) => {
        const text = String(cell ?? '');
        return column < 2 || column === row.length - 1
          ? text.padEnd(widths[column])
          : text.padStart(widths[column]);
      })
      .join('  ')
      .trimEnd();
  return [line(head), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n');
}

/** The rows of what `evaluate` returned, for one metric. */
export function metricTable(evaluated, metric, format) {
  const rows = evaluated.map(({ system, setting, problem, metrics }) => {
    const of = metrics[metric];
    if (!of || Number.isNaN(of.median)) return [system, setting, '-', '-', '-', '-', '-', problem ?? ''];
    const cells = [of.median, of.least, of.most].map(format);
    return [system, setting, ...cells, times(of.toRowlock), times(of.toBare), problem ?? ''];
  });
  return table(['', '', 'median', 'least', 'most', 'to Rowlock', 'to bare SQL', ''], rows);
}

/** What the client and the server have spent on a job, side by side. */
export function costTable(evaluated) {
  const sides = ['client', 'server'];
  const head = ['', '', ...sides.flatMap((side) => [side, 'least', 'most', 'to Rowlock']), ''];
  const rows = evaluated.map(({ system, setting, problem, metrics }) => {
    const cells = sides.flatMap((side) => {
      const of = metrics[`${side}Us`];
      if (!of || Number.isNaN(of.median)) return ['-', '-', '-', '-'];
      return [...[of.median, of.least, of.most].map(microseconds), times(of.toRowlock)];
    });
    return [system, setting, ...cells, problem ?? ''];
  });
  return table(head, rows);
}

export function times(ratio) {
  return ratio === null ? '-' : `${ratio.toFixed(2)}×`;
}

export function perSecond(value) {
  return value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en');
}

export function milliseconds(value) {
  return value.toFixed(value < 10 ? 2 : 0);
}

function microseconds(value) {
  return Math.round(value).toLocaleString('en');
}
