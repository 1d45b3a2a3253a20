/** The colours of the page, as the scheme has them now. */
export interface Theme {
  readonly ink: string;
  readonly soft: string;
  readonly accent: string;
  readonly good: string;
  readonly bad: string;
  readonly edge: string;
  readonly isDark: boolean;
}

/** A canvas takes no variables and no `light-dark()`, so an element says what comes of them. */
export function themeOf(isDark: boolean): Theme {
  const probe = document.createElement('i');
  document.body.append(probe);
  const colour = (name: string): string => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const theme = {
    ink: colour('ink'),
    soft: colour('soft'),
    accent: colour('accent'),
    good: colour('good'),
    bad: colour('bad'),
    edge: colour('edge'),
    isDark,
  };
  probe.remove();
  return theme;
}

/** A key has one colour. Few keys have the same. */
export function colourOf(key: string | null, { soft, isDark }: Theme): string {
  if (key === null) return soft;
  let hash = 0;
  for (let place = 0; place < key.length; place++) hash = (hash * 31 + key.charCodeAt(place)) | 0;
  return `hsl(${Math.abs(hash) % 360} 60% ${isDark ? 60 : 42}%)`;
}
