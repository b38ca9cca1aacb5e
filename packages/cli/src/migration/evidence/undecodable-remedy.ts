import { decideRemedy, remedyText } from '@strata/api'
import type { Evidence } from './decide-evidence.ts'

/** What to do if no server can decode all that is stored. */
export function undecodableRemedy(
  { target, census, undecodable = [], decodable: readable = [] }: Partial<Evidence>,
  migrate: string,
): string {
  const written = target?.encodingVersion === undefined ? undefined : [target.encodingVersion]
  const stored = census?.encodings.map(({ encodingVersion }) => encodingVersion) ?? undecodable
  return remedyText(decideRemedy({ stored, written, readable, decodable: written ?? readable }), migrate)
}
