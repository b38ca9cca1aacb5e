import { readFileSync } from 'node:fs'
import type { BenchContext } from '../bench-context.ts'
import type { Contestant } from '../contestant.ts'
import type { Flags } from '../flags.ts'
import { apiContestant } from './api-contestant.ts'

/** A server that somebody else runs. Its memory and its start are not ours to measure. */
export function otherServer(
  { url, token, caFile }: NonNullable<Flags['against']>,
  { flags, print, progress }: BenchContext,
): Promise<Contestant> {
  print(`${url}: memory and start are measured only on servers that are started here`)
  return apiContestant({
    name: 'other server',
    target: { url, token, ...(caFile === undefined ? {} : { ca: readFileSync(caFile, 'utf8') }) },
    http: flags.http,
    objects: flags.objects,
    onProgress: (done) => progress(`fills ${url}: ${done} of ${flags.objects}`),
    cleansUp: true,
  })
}
