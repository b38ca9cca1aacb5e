import { chance, integer, pick, type Random } from '@strata/world'
import { characters, text } from './text.ts'

type Mutation = (from: string, random: Random, other: string) => string

const cutAt = (from: string, random: Random): number => integer(random, from.length + 1)
const inserted = (from: string, at: number, piece: string): string =>
  from.slice(0, at) + piece + from.slice(at)

const mutations: readonly [Mutation, ...Mutation[]] = [
  (from, random) => inserted(from, cutAt(from, random), characters(random, 1 + integer(random, 3))),
  (from, random) => inserted(from, cutAt(from, random), text(random)),
  (from, random) => from.slice(0, cutAt(from, random)),
  (from, random) => {
    const at = cutAt(from, random)
    return from.slice(0, at) + from.slice(at + 1 + integer(random, 8))
  },
  (from, random) => {
    const at = cutAt(from, random)
    return inserted(from, at, from.slice(at, at + 1 + integer(random, 40)))
  },
  (from, random) => {
    const at = cutAt(from, random)
    return inserted(from, at, (from[at] ?? '(').repeat(1 + integer(random, 300)))
  },
  (from, random) => {
    const at = cutAt(from, random)
    const flipped = String.fromCharCode((from.charCodeAt(at) || 0x20) ^ (1 << integer(random, 7)))
    return from.slice(0, at) + flipped + from.slice(at + 1)
  },
  (from, random, other) => {
    const at = cutAt(other, random)
    return inserted(from, cutAt(from, random), other.slice(at, at + 1 + integer(random, 40)))
  },
  (from, random, other) => from.slice(0, cutAt(from, random)) + other.slice(cutAt(other, random)),
]

/** A text with one to three random mutations; `other` is a text of the same kind. Never longer than `longest`. */
export function mutateText(random: Random, from: string, other: string, longest = 16_000): string {
  let made = from
  for (let times = 1 + integer(random, 3); times > 0; times--)
    made = pick(random, mutations)(made, random, other)
  return made.slice(0, longest)
}

const byteMutations: readonly [Mutation, ...Mutation[]] = [
  ...mutations,
  // A varint that is too long, and groups within groups.
  (from, random) => inserted(from, cutAt(from, random), '\xff'.repeat(5 + integer(random, 8))),
  (from, random) => from + '\x2b'.repeat(200) + '\x2c'.repeat(200 - integer(random, 2)),
  (from, random) => inserted(from, cutAt(from, random), '\x12\x0e\x0a\x09__proto__\x12\x01x'),
]

/** The same for bytes, each of which is a character. */
export function mutateBytes(random: Random, from: string, other: string): string {
  let made = from
  do made = pick(random, byteMutations)(made, random, other)
  while (chance(random, 0.3))
  return Buffer.from(made, 'latin1').toString('latin1')
}
