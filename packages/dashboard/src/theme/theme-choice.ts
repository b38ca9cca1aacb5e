import { type ReadonlySignal, signal } from '@preact/signals'

export type Theme = 'light' | 'dark'

export interface ThemeChoice {
  readonly shown: ReadonlySignal<Theme>
  /** Remembered by the browser. The choice that the system has made is forgotten again: it may change. */
  choose(theme: Theme): void
}

export interface ThemeParts {
  readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
  /** What the system is set to. */
  readonly system: Pick<MediaQueryList, 'matches' | 'addEventListener'>
  /** `:root`. */
  readonly root: Pick<HTMLElement, 'dataset'>
}

const key = 'strata.theme'

export function createThemeChoice({ storage, system, root }: ThemeParts): ThemeChoice {
  const ofSystem = (): Theme => (system.matches ? 'dark' : 'light')
  const kept = (): Theme | undefined => {
    const value = storage.getItem(key)
    return value === 'light' || value === 'dark' ? value : undefined
  }
  const shown = signal(kept() ?? ofSystem())
  const show = (): void => {
    shown.value = kept() ?? ofSystem()
    root.dataset['theme'] = shown.value
  }
  system.addEventListener('change', show)
  show()
  return {
    shown,
    choose: (theme) => {
      if (theme === ofSystem()) storage.removeItem(key)
      else storage.setItem(key, theme)
      show()
    },
  }
}
