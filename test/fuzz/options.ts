import { parseArgs } from 'node:util'
import type { FuzzTarget } from './target.ts'

export interface CommandOptions {
  readonly targets: readonly FuzzTarget[]
  readonly seed: string
  readonly inputs: number
  readonly from: number
  /** Run this one again, after those that come before it in its sequence. */
  readonly onlyInput: number | undefined
  /** Try these inputs, one after the other. */
  readonly given: readonly Readonly<Record<string, unknown>>[]
  readonly output: 'table' | 'json'
  readonly help: boolean
}

export class UsageError extends Error {}

export const usage = (targets: readonly FuzzTarget[]): string => `usage: npm run fuzz -- [options]

Feeds generated and damaged inputs to every parser of external data. An input must not crash the parser, take more than a
second of CPU time, or be accepted wrongly. Accepted inputs are compared with a second, simple implementation, or read back.
A finding is shrunk and printed, and the exit code is 1.

  --inputs N          how many inputs to run, over all targets (default 100000)
  --seed S            the seed of the inputs (default 1)
  --from N            the first input of each target, a multiple of 1000 (default 0)
  --target NAME       run only this target; may be repeated
  --only-input N      run input N of one target again, after those before it in its sequence
  --input JSON        run this input of one target; may be repeated, and the order is kept
  -o json             print figures and findings as JSON
  --help              print this

Targets:
${targets.map(({ name, about }) => `  ${name.padEnd(widestName(targets))}  ${about}`).join('\n')}

Examples:
  $ npm run fuzz -- --inputs 1000000
  $ npm run fuzz -- --target cel --target yaml --inputs 50000 --seed 7
  $ npm run fuzz -- --target requests --seed 7 --only-input 4711
  $ npm run fuzz -- --target label-selector --input '{"selector":"a in (b","labels":{"a":"b"}}'`

const widestName = (targets: readonly FuzzTarget[]): number =>
  Math.max(...targets.map(({ name }) => name.length))

export function parseOptions(args: readonly string[], targets: readonly FuzzTarget[]): CommandOptions {
  const { values } = parse(args)
  const chosen = values.target ?? []
  const unknown = chosen.find((name) => !targets.some((target) => target.name === name))
  if (unknown !== undefined)
    throw new UsageError(`no target ${unknown}; there are ${targets.map(({ name }) => name).join(', ')}`)
  const onlyInput =
    values['only-input'] === undefined ? undefined : wholeNumber('--only-input', values['only-input'])
  const given = (values.input ?? []).map(parseInput)
  if ((onlyInput !== undefined || given.length > 0) && chosen.length !== 1)
    throw new UsageError('--only-input and --input need one --target')
  const { output } = values
  if (output !== 'table' && output !== 'json')
    throw new UsageError(`-o ${output}: there is json, and table without it`)
  const from = wholeNumber('--from', values.from)
  if (from % 1_000 !== 0) throw new UsageError(`--from ${from}: give a multiple of 1000`)
  return {
    targets: chosen.length === 0 ? targets : targets.filter(({ name }) => chosen.includes(name)),
    seed: values.seed,
    inputs: inputsIn(values.inputs),
    ...{ from, onlyInput, given, output, help: values.help },
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        inputs: { type: 'string', default: '100000' },
        seed: { type: 'string', default: '1' },
        from: { type: 'string', default: '0' },
        target: { type: 'string', multiple: true },
        'only-input': { type: 'string' },
        input: { type: 'string', multiple: true },
        output: { type: 'string', short: 'o', default: 'table' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
  } catch (error) {
    // For `--seed -1`, Node explains at length how to write it with an equals sign.
    throw new UsageError((error as Error).message.split('\n')[0] ?? '')
  }
}

function parseInput(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>
  } catch {
    // Said below.
  }
  throw new UsageError(`--input ${text}: give a JSON object, as a finding prints it`)
}

function inputsIn(text: string): number {
  const inputs = wholeNumber('--inputs', text)
  if (inputs === 0) throw new UsageError('--inputs 0: give a whole number, 1 or more')
  return inputs
}

function wholeNumber(option: string, text: string): number {
  if (!/^[0-9]{1,9}$/.test(text)) throw new UsageError(`${option} takes a whole number, not ${text}`)
  return Number(text)
}
