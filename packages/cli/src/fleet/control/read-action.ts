/** What a user can ask a running fleet for: the body of `POST /playground/v1/actions`. */
export type PlaygroundAction =
  | {
      readonly action: 'roll'
      readonly to: string
      readonly oneByOne?: boolean
      readonly skipReleases?: boolean
    }
  | { readonly action: 'resume'; readonly oneByOne?: boolean }
  | { readonly action: 'pause' | 'back' }
  | { readonly action: 'crash' | 'freeze' | 'thaw'; readonly server: string }
  | { readonly action: 'switch-storage-version'; readonly crd: string; readonly version: string }
  | { readonly action: 'load'; readonly writesPerSecond: number }

type FieldKind = 'a text' | 'a whole number' | 'true or false'

const fieldsOf: Readonly<Record<PlaygroundAction['action'], Readonly<Record<string, FieldKind>>>> = {
  roll: { to: 'a text', oneByOne: 'true or false', skipReleases: 'true or false' },
  pause: {},
  resume: { oneByOne: 'true or false' },
  back: {},
  crash: { server: 'a text' },
  freeze: { server: 'a text' },
  thaw: { server: 'a text' },
  'switch-storage-version': { crd: 'a text', version: 'a text' },
  load: { writesPerSecond: 'a whole number' },
}

const isOf: Readonly<Record<FieldKind, (value: unknown) => boolean>> = {
  'a text': (value) => typeof value === 'string' && value !== '',
  'a whole number': (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  'true or false': (value) => value === undefined || typeof value === 'boolean',
}

/** Takes exactly the fields of an action: what is misspelt must not be ignored. */
export function readAction(body: unknown): PlaygroundAction | { readonly problem: string } {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return { problem: 'not a JSON object' }
  const { action, ...fields } = body as Record<string, unknown>
  const known = Object.keys(fieldsOf)
  if (typeof action !== 'string' || !known.includes(action))
    return { problem: `"action" is ${JSON.stringify(action)}, and has to be one of ${known.join(', ')}` }
  const wanted = fieldsOf[action as PlaygroundAction['action']]
  for (const [name, kind] of Object.entries(wanted)) {
    if (!isOf[kind](fields[name])) return { problem: `${action}: "${name}" has to be ${kind}` }
  }
  const surplus = Object.keys(fields).find((name) => !Object.hasOwn(wanted, name))
  if (surplus !== undefined) return { problem: `${action} has no field "${surplus}"` }
  return body as PlaygroundAction
}
