/** Where a path is shown, from 0, and whether it goes on by itself. */
export interface Playhead {
  readonly at: number
  readonly isPlaying: boolean
}

export type PlayCommand =
  | 'play'
  | 'pause'
  | 'previous'
  | 'next'
  /** The time of a step is over. */
  | 'tick'
  | { readonly show: number }

export interface PathFacts {
  readonly steps: number
  /** The user wants nothing to move by itself. */
  readonly isMotionReduced: boolean
}

export function decidePlayhead(
  { at, isPlaying }: Playhead,
  command: PlayCommand,
  { steps, isMotionReduced }: PathFacts,
): Playhead {
  const last = Math.max(0, steps - 1)
  const still = (to: number): Playhead => ({ at: Math.min(Math.max(0, to), last), isPlaying: false })
  if (typeof command === 'object') return still(command.show)
  switch (command) {
    case 'play':
      // At the end it begins anew.
      if (isMotionReduced || last === 0) return still(last)
      return { at: at >= last ? 0 : at, isPlaying: true }
    case 'pause':
      return still(at)
    case 'previous':
      return still(at - 1)
    case 'next':
      return still(at + 1)
    case 'tick':
      if (!isPlaying) return { at, isPlaying }
      return { at: Math.min(at + 1, last), isPlaying: at + 1 < last }
  }
}

/** The arrows lead through the path, wherever the focus is; a field keeps its own. */
export function stepOfKey(key: string, hasOtherUse: boolean): 'previous' | 'next' | undefined {
  if (hasOtherUse) return undefined
  if (key === 'ArrowLeft') return 'previous'
  return key === 'ArrowRight' ? 'next' : undefined
}
