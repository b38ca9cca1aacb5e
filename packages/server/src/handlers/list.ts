import { list, type Registry, type ServedResource } from '../registry/index.ts'
import type { Entry } from '../store/index.ts'
import { revisionParameter } from './query.ts'
import type { ResourceHandler } from './request-context.ts'
import { respondBytes, respondStream } from './respond.ts'

const comma = Buffer.from(',')
const footer = Buffer.from(']}\n')
/** Lists up to this size are sent in one piece; longer ones are streamed as the client takes them. */
const itemsPerChunk = 500

export function listHandler(registry: Registry): ResourceHandler {
  return async ({ info, signal }, resource, { namespace }) => {
    const notOlderThan = revisionParameter(info.query)
    const { revision, entries } = await list(registry, resource, namespace, notOlderThan, signal)
    const { definition, apiVersion } = resource
    const kind = JSON.stringify(definition.listKind)
    const header = Buffer.from(
      `{"kind":${kind},"apiVersion":${JSON.stringify(apiVersion)},"metadata":{"resourceVersion":"${revision}"},"items":[`,
    )
    if (entries.length <= itemsPerChunk) {
      return respondBytes(200, Buffer.concat([header, ...items(resource, entries, 0), footer]))
    }
    return respondStream(chunks(resource, entries, header))
  }
}

/** The list at one revision: entries are immutable, so that the stream may take its time. */
async function* chunks(
  resource: ServedResource,
  entries: readonly Entry[],
  header: Buffer,
): AsyncGenerator<Uint8Array> {
  yield header
  for (let start = 0; start < entries.length; start += itemsPerChunk) {
    yield Buffer.concat(items(resource, entries.slice(start, start + itemsPerChunk), start))
  }
  yield footer
}

function items(
  { codec, apiVersion }: ServedResource,
  entries: readonly Entry[],
  offset: number,
): Uint8Array[] {
  const parts: Uint8Array[] = []
  entries.forEach(({ value, revision }, index) => {
    if (offset + index > 0) parts.push(comma)
    parts.push(codec.serve(value, revision, apiVersion))
  })
  return parts
}
