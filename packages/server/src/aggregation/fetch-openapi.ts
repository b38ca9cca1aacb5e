import { createHash } from 'node:crypto'
import { deadline } from '@strata/world'
import type { RemoteOpenApi } from '../discovery/index.ts'
import { documentFromSwagger, takeDocument, takeSwagger } from '../openapi/index.ts'
import type { Backend } from './backend.ts'
import type { CheckParts } from './check-backend.ts'
import { getFromBackend } from './get-from-backend.ts'

/** One document of a backend. */
interface Fetched<T> {
  /** What was taken of it; undefined if the backend has no such document. */
  readonly taken: T | undefined
  readonly etag: string | undefined
  /** Of what was sent last, whether or not it could be used. The same is not read again. */
  readonly digest: string
}

/** The OpenAPI documents of a backend, and what is needed to read them again. */
export interface Described {
  readonly openApi: RemoteOpenApi
  readonly v3: Fetched<NonNullable<RemoteOpenApi['document']>> | undefined
  readonly v2: Fetched<Uint8Array> | undefined
}

/** Reading a document holds up all requests of this server, for a fraction of a second if it is as long as this. */
const maxBytes = 4 * 1024 * 1024
const openApiMs = 10_000

/**
 * Reads the OpenAPI documents of an available backend. As upstream, what was read before stays while the backend does not
 * answer, or not with a document that can be used.
 */
export async function fetchOpenApi(
  parts: CheckParts,
  backend: Backend,
  before: Described | undefined,
  signal: AbortSignal,
): Promise<Described> {
  const { group, versionName } = backend
  const limit = deadline(parts.clock, openApiMs, signal)
  const get = <T>(path: string, known: Fetched<T> | undefined, take: Take<T>) =>
    fetchOne(parts, backend, { path, known, take, signal: limit.signal })
  const own = { group, versionName }
  const path = `/openapi/v3/apis/${group}/${versionName}`
  try {
    const [v3, v2] = await Promise.all([
      get(path, before?.v3, (sent) => takeDocument(sent, own)),
      get('/openapi/v2', before?.v2, (sent) => takeSwagger(sent, own)),
    ])
    signal.throwIfAborted()
    return withSame(before, v3, v2)
  } finally {
    limit.dispose()
  }
}

/** The same documents for another backend of the version: it is asked for all of them. */
export function inherited({ openApi, v3, v2 }: Described): Described {
  const unasked = { etag: undefined, digest: '' }
  return { openApi, v3: v3 && { ...v3, ...unasked }, v2: v2 && { ...v2, ...unasked } }
}

type Take<T> = (sent: Uint8Array) => T | undefined

interface Wanted<T> {
  readonly path: string
  readonly known: Fetched<T> | undefined
  readonly take: Take<T>
  readonly signal: AbortSignal
}

async function fetchOne<T>(
  parts: CheckParts,
  backend: Backend,
  { path, known, take, signal }: Wanted<T>,
): Promise<Fetched<T> | undefined> {
  try {
    const asked = known?.etag === undefined ? {} : { 'if-none-match': known.etag }
    const headers = { accept: 'application/json', ...asked }
    const answer = await getFromBackend(parts, backend, { path, headers, maxBytes, signal })
    if (answer?.status === 404) return undefined
    if (answer?.status !== 200) return known
    const { body, etag } = answer
    const digest = createHash('sha256').update(body).digest('base64')
    const taken = digest === known?.digest ? undefined : take(body)
    return { taken: taken ?? known?.taken, etag, digest }
  } catch {
    return known
  }
}

/** The same object while nothing has changed: documents are merged anew for another. */
function withSame(before: Described | undefined, v3: Described['v3'], v2: Described['v2']): Described {
  const swagger = v2?.taken
  const isSameSwagger = before !== undefined && before.openApi.swagger === swagger
  // A backend of before 1.24 has only v2; its v3 document is made of that.
  const isConverted = v3?.taken === undefined && swagger !== undefined
  const converted = (): RemoteOpenApi['document'] =>
    isSameSwagger && before.v3?.taken === undefined
      ? before.openApi.document
      : documentFromSwagger(swagger ?? empty)
  const document = isConverted ? converted() : v3?.taken
  const isSame = isSameSwagger && before.openApi.document === document
  return { openApi: isSame ? before.openApi : { document, swagger }, v3, v2 }
}

const empty = new Uint8Array()
