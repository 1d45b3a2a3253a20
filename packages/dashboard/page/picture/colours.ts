/** The colours of the page, as the theme has them now. */
export interface Theme {
  readonly ink: string;
  readonly soft: string;
  readonly accent: string;
  readonly bad: string;
  readonly edge: string;
  readonly isDark: boolean;
}

export function themeOf(element: Element): Theme {
  const { color } = getComputedStyle(element);
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  // A canvas takes no `light-dark()`, which is what the variables of the page have.
  return isDark
    ? { ink: color, soft: '#a3adb9', accent: '#7fbfe8', bad: '#ff9d94', edge: '#343a43', isDark }
    : { ink: color, soft: '#545d69', accent: '#1f5f8b', bad: '#a8231d', edge: '#d8dde3', isDark };
}

/** A key has one colour. Few keys have the same. */
export function colourOf(key: string | null, { soft, isDark }: Theme): string {
  if (key === null) return soft;
  let hash = 0;
  for (let place = 0; place < key.length; place++) hash = (hash * 31 + key.charCodeAt(place)) | 0;
  return `hsl(${Math.abs(hash) % 360} 60% ${isDark ? 60 : 42}%)`;
}
