/** A moment of the loop, and what holds from then on. */
export interface Step<T> {
  /** 0 to 100. */
  readonly percent: number
  readonly value: T
}

/** Where the value changes; it holds until the next step. */
export function stepsOf<T>(all: readonly Step<T>[]): readonly Step<T>[] {
  return all.filter(({ value }, index) => index === 0 || value !== all[index - 1]?.value)
}

/** CSS keyframes that show an element exactly while the value is this one. */
export function visibleWhile<T>(name: string, steps: readonly Step<T>[], shown: T): string {
  const frames = stepsOf(steps.map(({ percent, value }) => ({ percent, value: value === shown ? 1 : 0 })))
  return keyframes(
    name,
    frames.map(({ percent, value }) => ({ percent, value: `opacity:${value}` })),
  )
}

/** CSS keyframes that stretch an element, from its origin, to a part of its width. */
export function stretched(name: string, steps: readonly Step<number>[]): string {
  return keyframes(
    name,
    stepsOf(steps).map(({ percent, value }) => ({ percent, value: `transform:scaleX(${round(value)})` })),
  )
}

function keyframes(name: string, frames: readonly Step<string>[]): string {
  const end = frames.at(-1)
  const all = end && end.percent < 100 ? [...frames, { percent: 100, value: end.value }] : frames
  return `@keyframes ${name}{${all.map(({ percent, value }) => `${round(percent)}%{${value}}`).join('')}}`
}

/** The same picture on every machine. */
export const round = (value: number): number => Math.round(value * 1000) / 1000
