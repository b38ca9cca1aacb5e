/** What a key does. `move`: through the matrix. */
export type KeyCommand =
  | { readonly do: 'filter' | 'help' | 'leave' }
  /** The event before or after the shown moment, and back to now. */
  | { readonly do: 'earlier' | 'later' | 'now' }
  /** More or less time on the timeline. */
  | { readonly do: 'zoom'; readonly factor: number }
  /** A letter follows, which names a view. */
  | { readonly do: 'await-view' }
  | { readonly do: 'view'; readonly letter: string }

export interface PressedKey {
  readonly key: string
  /** With Ctrl, Alt or Meta: a command of the browser. */
  readonly hasModifier: boolean
  /** The focus is in a field that takes text. */
  readonly isTyping: boolean
  /** `g` was pressed just before. */
  readonly awaitsView: boolean
}

const simpleKeys: Readonly<Record<string, KeyCommand>> = {
  '[': { do: 'earlier' },
  ']': { do: 'later' },
  n: { do: 'now' },
  '+': { do: 'zoom', factor: 0.5 },
  '-': { do: 'zoom', factor: 2 },
}

export function decideKey({ key, hasModifier, isTyping, awaitsView }: PressedKey): KeyCommand | undefined {
  if (hasModifier) return undefined
  if (key === 'Escape') return { do: 'leave' }
  if (isTyping) return undefined
  if (awaitsView && /^[a-z]$/.test(key)) return { do: 'view', letter: key }
  const simple = simpleKeys[key]
  if (simple) return simple
  if (key === '/') return { do: 'filter' }
  if (key === '?') return { do: 'help' }
  return key === 'g' ? { do: 'await-view' } : undefined
}

/** The next cell of a grid for an arrow, Home, End, or Page key; undefined for other keys. */
export function moveInGrid(
  key: string,
  [row, column]: readonly [number, number],
  [rows, columns]: readonly [number, number],
): readonly [number, number] | undefined {
  const page = 10
  const moves: Readonly<Record<string, readonly [number, number]>> = {
    ArrowUp: [row - 1, column],
    ArrowDown: [row + 1, column],
    ArrowLeft: [row, column - 1],
    ArrowRight: [row, column + 1],
    Home: [row, 0],
    End: [row, columns - 1],
    PageUp: [row - page, column],
    PageDown: [row + page, column],
  }
  const to = moves[key]
  if (!to || rows === 0 || columns === 0) return undefined
  const within = (value: number, most: number): number => Math.min(Math.max(0, value), most - 1)
  return [within(to[0], rows), within(to[1], columns)]
}
