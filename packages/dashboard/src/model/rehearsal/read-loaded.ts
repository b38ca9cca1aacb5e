import type { RehearsalResult } from '@strata/rehearsal/result'
import {
  type Check,
  fields,
  flag,
  isFields,
  type LoadProblem,
  listOf,
  mapOf,
  maybe,
  number,
  oneOf,
  text,
} from './check-shape.ts'

/** A result, and the file that it is of. */
export interface NamedResult {
  readonly name: string
  readonly result: RehearsalResult
}

/** What a user has loaded: what `strata rehearse -o json` has printed, or a path that has yet to be played. */
export type Loaded =
  | { readonly kind: 'results'; readonly results: readonly NamedResult[] }
  | { readonly kind: 'path' }
  | { readonly kind: 'wrong'; readonly problems: readonly LoadProblem[] }

/** Any file may be loaded: nothing in it is shown before its form is known. */
export function readLoaded(content: string, name: string): Loaded {
  if (content.trim() === '') return wrong('it is empty: load a rehearsal, or the result of one')
  const value = parse(content)
  if (!isFields(value)) return { kind: 'path' }
  if ('rehearsals' in value) {
    const problems = listOf(result, 1)(value.rehearsals, 'rehearsals')
    return found(
      problems,
      value.rehearsals as readonly (RehearsalResult & { readonly file?: unknown })[],
      name,
    )
  }
  // A path has steps as well, but no verdict.
  return 'verdict' in value
    ? found(result(value, ''), [value as unknown as RehearsalResult], name)
    : { kind: 'path' }
}

const found = (
  problems: readonly LoadProblem[],
  results: readonly (RehearsalResult & { readonly file?: unknown })[],
  name: string,
): Loaded =>
  problems.length > 0
    ? { kind: 'wrong', problems: problems.slice(0, mostProblems) }
    : {
        kind: 'results',
        results: results.map((each) => ({ name: String(each.file ?? name), result: each })),
      }

/** One mistake may be in every step. */
const mostProblems = 8

const wrong = (message: string): Loaded => ({ kind: 'wrong', problems: [{ field: '', message }] })

/** Undefined for YAML, in which a path may be written. */
function parse(content: string): unknown {
  try {
    return JSON.parse(content)
  } catch {
    return undefined
  }
}

const verdict = oneOf(['safe', 'unsafe', 'refused', 'could not see'])

const reason = fields({
  level: oneOf(['unsafe', 'refused', 'could not see', 'note']),
  ...{ rule: text, message: text, fix: maybe(text) },
  ...{ server: maybe(number), resource: maybe(text), object: maybe(text), path: maybe(text) },
})

const event = fields({ atMs: number, step: number, kind: text, text })

const step = fields({
  ...{ step: number, text, verdict, expected: verdict, passed: flag },
  reasons: listOf(reason),
  servers: listOf(fields({ server: number, state: oneOf(['up', 'down', 'frozen', 'late']), release: text })),
  stored: listOf(fields({ resource: text, versions: mapOf(number), storedVersions: maybe(listOf(text)) })),
})

const result: Check = fields({
  world: oneOf(['simulated', 'processes']),
  server: oneOf(['strata', 'kube-apiserver']),
  ...{ servers: number, verdict, passed: flag, steps: listOf(step, 1), events: listOf(event) },
  interleavings: fields({
    ...{ searched: number, possible: number },
    lateWrites: fields({ stored: number, refused: number }),
    found: maybe(fields({ step: number, verdict, reasons: listOf(reason), story: listOf(text) })),
  }),
})

/** The lines of a refusal: `rehearsal:12: steps[2].late: is 9, and there are 3 servers`. */
export function problemsOf(message: string): readonly LoadProblem[] {
  return message.split('\n').map((line) => {
    const [, at, rest = ''] = /^rehearsal:(\d+): (.*)$/s.exec(line) ?? []
    if (at === undefined) return { field: '', message: line }
    const [, field = '', said = rest] = /^([\w.[\]/-]+): (.*)$/s.exec(rest) ?? []
    return { field: field === '' ? `line ${at}` : `line ${at}, ${field}`, message: said }
  })
}
