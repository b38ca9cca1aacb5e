import { duplicate, type FieldError, required } from '../machinery/field-error.ts'
import type { DiscoveryDocHash } from './discovery-doc-hashes.ts'

const requiredFields = ['apiServerID', 'builtInAPIHash', 'lastHeartbeatTime'] as const

/** KEP "Coordinated discovery documents": all three fields are required, and each server has one entry. */
export function validateDiscoveryDocHashes(
  hashes: readonly Partial<DiscoveryDocHash>[] | undefined,
): FieldError[] {
  if (!hashes) return [required('hashes')]
  const ids = new Set<string>()
  return hashes.flatMap((entry, index) => {
    const { apiServerID = '' } = entry
    const isRepeated = apiServerID !== '' && ids.has(apiServerID)
    ids.add(apiServerID)
    return [
      ...requiredFields
        .filter((field) => !entry[field])
        .map((field) => required(`hashes[${index}].${field}`)),
      ...(isRepeated ? [duplicate(`hashes[${index}].apiServerID`, apiServerID)] : []),
    ]
  })
}
