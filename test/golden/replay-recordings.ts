import { join } from 'node:path'
import { runScript } from './run-script.ts'
import type { ServerAccess } from './served-store.ts'
import type { StepResult } from './step-result.ts'

/** The areas that are held to the recordings: all of them. */
export const recordedAreas = [
  'apiservice',
  'auth',
  'concurrency',
  'cr-cel',
  'cr-columns',
  'cr-paging',
  'cr-schema',
  'cr-subresources',
  'crd-lifecycle',
  'crd-validation',
  'crd-versions',
  'crud-configmap',
  'delete',
  'discovery',
  'dryrun',
  'encoding',
  'errors',
  'events',
  'field-validation',
  'leases',
  'list',
  'namespaces',
  'openapi',
  'patch',
  'rbac',
  'reviews',
  'secrets',
  'selectors',
  'ssa',
  'storageversion',
  'svm',
  'table',
  'version-health',
  'watch',
] as const

interface Replayed {
  readonly area: string
  readonly step: string
  readonly ok: boolean
  readonly diff: readonly { readonly path: string; readonly want?: unknown; readonly got?: unknown }[]
}

/** Plays the scenarios of these areas and compares the answers with those that upstream's server gave. */
export async function replayRecordings(
  { url, token }: Pick<ServerAccess, 'url' | 'token'>,
  areas: readonly string[],
): Promise<readonly StepResult[]> {
  const results = (await runScript(join(import.meta.dirname, 'replay.mjs'), [
    ...['--server', url, '--token', token, '--dir', join(import.meta.dirname, 'recordings'), '--compare'],
    // In these areas, a polled condition becomes true at once or never.
    ...['--only', areas.join(','), '--poll-timeout', '5000'],
  ])) as readonly Replayed[]
  return results.map(({ area, step, ok, diff }) => ({
    id: `${area}/${step}`,
    ok,
    why: diff.map((each) => `  ${JSON.stringify(each).slice(0, 1_000)}`).join('\n'),
  }))
}
