import { readFileSync } from 'node:fs'
import type { BenchContext } from '../bench-context.ts'
import type { Contestant } from '../contestant.ts'
import type { Flags } from '../flags.ts'
import { apiContestant } from './api-contestant.ts'

type Against = NonNullable<Flags['against']>

/** A server that runs elsewhere. The benchmark does not measure its memory and its start. */
export function otherServer(against: Against, { flags, print, progress }: BenchContext): Promise<Contestant> {
  const { url, token } = against
  print(`${url}: memory and start are measured only on servers that are started here`)
  return apiContestant({
    name: 'other server',
    target: { url, token, ...caOf(against) },
    http: flags.http,
    objects: flags.objects,
    onProgress: (done) => progress(`fills ${url}: ${done} of ${flags.objects}`),
    cleansUp: true,
  })
}

export function caOf({ caFile }: Against): { readonly ca?: string } {
  return caFile === undefined ? {} : { ca: readFileSync(caFile, 'utf8') }
}
