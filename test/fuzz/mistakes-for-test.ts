import { integer } from '@strata/world'
import { type FuzzTarget, pureTarget, type Verdict, WrongAnswer } from './target.ts'

/** Targets with known mistakes: the fuzzer must find each, and say how to see it again. */
const list = (random: Parameters<typeof integer>[0]): { readonly numbers: number[] } => ({
  numbers: Array.from({ length: integer(random, 8) }, () => integer(random, 100)),
})

type Numbers = { readonly numbers: readonly number[] }

const mistaken = (name: string, check: (input: Numbers) => Verdict | Promise<Verdict>): FuzzTarget =>
  pureTarget<Numbers>({ name, about: '', share: 1, open: () => ({ generate: list, check }) })

let remembered = 0

export const targets: readonly FuzzTarget[] = [
  mistaken('wrong', ({ numbers }) => {
    if (numbers.some((each) => each > 90)) throw new WrongAnswer(`there is ${Math.max(...numbers)}`)
    return 'accepted'
  }),
  mistaken('crash', ({ numbers }) => {
    if (numbers.length > 5) throw new TypeError('too many')
    return 'accepted'
  }),
  mistaken('hang', ({ numbers }) => {
    while (numbers.length === 3);
    return 'accepted'
  }),
  mistaken('rejection', async ({ numbers }): Promise<Verdict> => {
    if (numbers.length === 4) void Promise.reject(new Error('not handled'))
    await new Promise((resolve) => setImmediate(resolve))
    return 'accepted'
  }),
  {
    name: 'sequence',
    about: '',
    share: 1,
    sequence: 10,
    open: () => ({
      generate: (random) => ({ add: integer(random, 4) }),
      reset: async () => {
        remembered = 0
      },
      check: ({ add }) => {
        remembered += Number(add)
        if (remembered > 20) throw new WrongAnswer('more than twenty')
        return 'accepted'
      },
    }),
  },
]
