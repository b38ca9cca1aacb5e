import type { LoadedVersion } from '../support/loaded-kind.ts'
import type { Participation } from '../support/serve-process.ts'

/** The evolution table, as examples/lighthouse has it. */
export const releases = {
  x: { decodes: ['v1'], stores: 'v1' },
  'x+1': { decodes: ['v1', 'v2'], stores: 'v1' },
  'x+2': { decodes: ['v1', 'v2'], stores: 'v2' },
  'x+3': { decodes: ['v2'], stores: 'v2' },
} as const satisfies Record<string, { decodes: readonly LoadedVersion[]; stores: LoadedVersion }>
export type Release = keyof typeof releases

/** How servers come to agree, and what they promise. */
export const forms = {
  report: { form: 'report', guarantee: 'strict' },
  vote: { form: 'vote', guarantee: 'strict' },
  loose: { form: 'vote', guarantee: 'loose' },
} as const satisfies Record<string, Participation>
export type Form = keyof typeof forms

/** One station: all servers are of this release, in this form. */
export interface Station {
  readonly release: Release
  readonly form: Form
}

/** The versions that both releases read and serve: clients may use only these during an upgrade. */
export function sharedVersions(one: Release, other: Release): readonly LoadedVersion[] {
  const [own, others]: readonly (readonly LoadedVersion[])[] = [
    releases[one].decodes,
    releases[other].decodes,
  ]
  return own?.filter((each) => others?.includes(each)) ?? []
}

/** The next release cannot read everything that may be stored: the operator has to bring all of it to one version first. */
export const needsRewriting = (from: Release, to: Release): boolean =>
  sharedVersions(from, to).length < releases[from].decodes.length

/** `x, x+1, …`, all in one form. */
export const inForm = (form: Form, ...stops: readonly Release[]): readonly Station[] =>
  stops.map((release) => ({ release, form }))
