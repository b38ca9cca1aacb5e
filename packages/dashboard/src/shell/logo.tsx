/** Three layers, the newest on top. */
export const Logo = () => (
  <svg class="logo" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
    <path d="M2 7.5 12 2l10 5.5-10 5.5z" fill="var(--layer-blue)" />
    <path d="m2 12 3-1.65 7 3.85 7-3.85L22 12l-10 5.5z" fill="var(--layer-green)" />
    <path d="m2 16.5 3-1.65 7 3.85 7-3.85 3 1.65L12 22z" fill="var(--layer-orange)" />
  </svg>
)
