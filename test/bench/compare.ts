import { type Contestant, rate, type Work } from './contestant.ts'
import { type Estimate, estimate } from './statistics.ts'

export interface Comparison {
  readonly title: string
  /** Of the rates, first over second. */
  readonly ratio: Estimate
  readonly firstPerSecond: number
  readonly secondPerSecond: number
}

/** Interleaved pairs, the order swapped each time, so that what slows the machine slows both. */
export async function compare(
  options: { readonly title: string; readonly work: Work; readonly count: number; readonly pairs: number },
  first: Contestant,
  second: Contestant,
): Promise<Comparison> {
  const { title, work, count, pairs } = options
  const rates: { first: number; second: number }[] = []
  // Warm up: the first rounds pay for compilation and new connections.
  for (let round = 0; round < 4; round++) {
    await rate(first, work, count)
    await rate(second, work, count)
  }
  for (let pair = 0; pair < pairs; pair++) {
    if (pair % 2 === 0) {
      const a = await rate(first, work, count)
      rates.push({ first: a, second: await rate(second, work, count) })
    } else {
      const b = await rate(second, work, count)
      rates.push({ first: await rate(first, work, count), second: b })
    }
  }
  return {
    title,
    ratio: estimate(rates.map((each) => each.first / each.second)),
    firstPerSecond: estimate(rates.map((each) => each.first)).median,
    secondPerSecond: estimate(rates.map((each) => each.second)).median,
  }
}

export function printComparison({ title, ratio, firstPerSecond, secondPerSecond }: Comparison): void {
  const number = (value: number): string => value.toFixed(2)
  const whole = (value: number): string => Math.round(value).toLocaleString('en')
  console.log(
    `${title.padEnd(44)} ${number(ratio.median)}  [${number(ratio.low)}, ${number(ratio.high)}]   ${whole(firstPerSecond)} /s against ${whole(secondPerSecond)} /s`,
  )
}
