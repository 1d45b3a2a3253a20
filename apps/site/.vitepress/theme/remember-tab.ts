import type { Router } from 'vitepress';

const KEPT = 'rowlock-tab';

/** Who has chosen MySQL once sees MySQL in all tabs, on later pages too. */
export function rememberTab(router: Router): void {
  window.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || !target.matches('.vp-code-group input')) return;
    localStorage.setItem(KEPT, nameOf(target));
    choose(nameOf(target));
  });
  router.onAfterPageLoad = () => {
    const kept = localStorage.getItem(KEPT);
    if (kept !== null) requestAnimationFrame(() => choose(kept));
  };
}

function choose(name: string): void {
  for (const tab of document.querySelectorAll<HTMLInputElement>('.vp-code-group input'))
    if (!tab.checked && nameOf(tab) === name) tab.click();
}

function nameOf(tab: HTMLInputElement): string {
  return tab.labels?.[0]?.dataset.title ?? '';
}
