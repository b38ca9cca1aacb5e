import type { RemoteOpenApi } from '../../discovery/index.ts'
import type { Json } from '../components.ts'
import { documentOf, hashed, type OpenApiDocument } from '../openapi-document.ts'
import type { GroupVersionName } from '../type-names.ts'
import { convertSwagger } from './convert-swagger.ts'
import { readDocument } from './read-document.ts'
import { type RemoteSwagger, readSwagger } from './read-swagger.ts'

/** The OpenAPI v3 document of another server, from what it sent; undefined if it cannot be used. */
export function takeDocument(sent: Uint8Array, own: GroupVersionName): OpenApiDocument | undefined {
  return attempt(() => {
    const given: unknown = JSON.parse(textOf(sent))
    const taken = readDocument(given, own)
    if (!taken) return undefined
    return taken === given ? hashed(sent) : documentOf(taken)
  })
}

/** What a server's OpenAPI v2 document says of its own version. It is kept as bytes, which need the least memory. */
export function takeSwagger(sent: Uint8Array, own: GroupVersionName): Uint8Array | undefined {
  return attempt(() => {
    const taken = readSwagger(JSON.parse(textOf(sent)), own)
    return taken && Buffer.from(JSON.stringify(taken))
  })
}

export function documentFromSwagger(taken: Uint8Array): OpenApiDocument {
  return documentOf(convertSwagger(parts(taken)))
}

/** The parts of all versions that have any, in the order of upstream: by priority, then by name. */
export function remoteParts(versions: readonly PrioritizedVersion[]): readonly RemoteSwagger[] {
  return [...versions].sort(byPriority(versions)).flatMap(({ openApi }) => {
    return openApi?.swagger ? [parts(openApi.swagger)] : []
  })
}

interface PrioritizedVersion extends GroupVersionName {
  readonly groupPriority: number
  readonly versionPriority: number
  readonly openApi?: RemoteOpenApi | undefined
}

type Order = (a: PrioritizedVersion, b: PrioritizedVersion) => number

function byPriority(all: readonly PrioritizedVersion[]): Order {
  const priorities = new Map<string, number>()
  for (const { group, groupPriority } of all) {
    priorities.set(group, Math.max(groupPriority, priorities.get(group) ?? 0))
  }
  const nameOf = ({ group, versionName }: PrioritizedVersion): string => `${versionName}.${group}`
  return (a, b) => {
    const difference =
      a.group === b.group
        ? b.versionPriority - a.versionPriority
        : (priorities.get(b.group) ?? 0) - (priorities.get(a.group) ?? 0)
    return difference || (nameOf(a) < nameOf(b) ? -1 : 1)
  }
}

const parts = (taken: Uint8Array): RemoteSwagger => JSON.parse(textOf(taken)) as RemoteSwagger & Json

const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')

/** A document that cannot be read is refused: an error here must not reach the documents of other versions. */
function attempt<T>(read: () => T | undefined): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
