import type { CustomResourceDefinition } from '@strata/api'
import type { CrdDocument } from '../../documents/index.ts'
import { type CrdWrite, writeOfFile, writeOfSpec } from './crd-write.ts'
import type { CrdWriter } from './decide-writer.ts'

/** The write of a new file; on the way back only the spec of the old CRD, which is all that changed. */
export function writeOfDocument(
  { name, crd, manifest, apiVersion, unknownFields }: CrdDocument,
  live: CustomResourceDefinition | undefined,
  writer: CrdWriter,
  isBack: boolean,
): CrdWrite {
  if (isBack && live !== undefined) return writeOfSpec(live, crd.spec, writer)
  // An applier owns what it sends: the file's fields, and not its defaults. A file in v1beta1 is sent as what it means in v1.
  // An update is compared with the live CRD, which has the defaults; fields that only the server knows are sent as they are.
  const isCurrent = apiVersion.endsWith('/v1')
  const isRaw = isCurrent && (writer.operation === 'Apply' || unknownFields.length > 0)
  const spec = (isRaw ? manifest['spec'] : crd.spec) as Readonly<Record<string, unknown>>
  const { labels, annotations } = crd.metadata
  return writeOfFile(name, live, { spec, labels, annotations, manifest }, writer)
}
