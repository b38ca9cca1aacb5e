import { ApiError, type ApiObject, type WebhookClientConfig } from '@strata/api'
import { type Random, uuid } from '@strata/world'
import { WebhookCallFailed, type WebhookClient } from '../webhooks/index.ts'
import { checkConverted } from './check-converted.ts'
import {
  ConversionProblem,
  chooseReviewVersion,
  conversionReview,
  convertedObjectsIn,
  type ReviewVersion,
} from './conversion-review.ts'

/** As upstream's. */
const timeoutMs = 30_000
/** The size of a request to the webhook; a longer list is converted in several requests, one after the other. */
const maxBatchBytes = 4 * 1024 * 1024
/** How much longer than its request a response may be, besides the factor. */
const answerSlack = 16 * 1024 * 1024
const answerFactor = 4

/** Converts objects to another version of their kind, in order; those in that version stay as they are. */
export type AskToConvert = (
  objects: readonly ApiObject[],
  desiredAPIVersion: string,
  signal: AbortSignal,
) => Promise<readonly ApiObject[]>

export interface WebhookConverterOptions {
  readonly client: WebhookClient
  readonly random: Random
  readonly clientConfig: WebhookClientConfig
  /** In the order of the webhook's preference. */
  readonly conversionReviewVersions: readonly string[]
  /** The list kind of the objects, for messages. */
  readonly listKind: string
  /** Smaller in tests. */
  readonly maxBatchBytes?: number
}

/**
 * Calls a conversion webhook, and trusts only the content of the objects in its response. Objects are neither changed nor
 * dropped: either all are returned converted, or an ApiError says what went wrong.
 */
export function webhookConverter(options: WebhookConverterOptions): AskToConvert {
  const reviewVersion = chooseReviewVersion(options.conversionReviewVersions)
  return async (objects, desiredAPIVersion, signal) => {
    const waiting = objects.flatMap((object, index) =>
      object.apiVersion === desiredAPIVersion ? [] : [{ object, index }],
    )
    if (waiting.length === 0) return objects
    const about = describe(objects, desiredAPIVersion, options)
    if (!reviewVersion)
      throw failure(`conversion webhook for ${about} failed: no supported conversion review versions`)
    const all = [...objects]
    for (const batch of batchesOf(waiting, options.maxBatchBytes ?? maxBatchBytes)) {
      const sent = batch.items.map(({ object }) => object)
      const request = {
        ...options,
        reviewVersion,
        desiredAPIVersion,
        about,
        start: batch.start,
        isList: objects.length > 1,
        signal,
      }
      const converted = await convertBatch(sent, request)
      for (const [at, { index }] of batch.items.entries()) {
        const object = converted[at]
        if (object) all[index] = object
      }
    }
    return all
  }
}

interface BatchRequest extends WebhookConverterOptions {
  readonly reviewVersion: ReviewVersion
  readonly desiredAPIVersion: string
  readonly about: string
  /** The position of the first object in the whole list. */
  readonly start: number
  readonly isList: boolean
  readonly signal: AbortSignal
}

async function convertBatch(
  objects: readonly ApiObject[],
  request: BatchRequest,
): Promise<readonly ApiObject[]> {
  const { client, clientConfig, random, reviewVersion, desiredAPIVersion, about, start, isList, signal } =
    request
  const uid = uuid(random)
  const body = Buffer.from(JSON.stringify(conversionReview(reviewVersion, uid, objects, desiredAPIVersion)))
  let returned: readonly unknown[]
  try {
    const maxResponseBytes = answerSlack + answerFactor * body.length
    const review = await client({ config: clientConfig, body, timeoutMs, maxResponseBytes, signal })
    returned = convertedObjectsIn(review, reviewVersion, uid)
  } catch (error) {
    if (!(error instanceof WebhookCallFailed || error instanceof ConversionProblem)) throw error
    throw failure(`conversion webhook for ${about} failed: ${error.message}`, error)
  }
  if (returned.length !== objects.length) {
    throw failure(
      `conversion webhook for ${about} returned ${returned.length} objects, expected ${objects.length}`,
    )
  }
  return objects.map((original, index) => {
    try {
      return checkConverted(original, returned[index], desiredAPIVersion, { index: start + index, isList })
    } catch (error) {
      if (!(error instanceof ConversionProblem)) throw error
      throw failure(`conversion webhook for ${about} returned ${error.message}`, error)
    }
  })
}

/** A single object by its kind; several by their list kind, in the desired version. */
function describe(
  objects: readonly ApiObject[],
  desiredAPIVersion: string,
  { listKind }: WebhookConverterOptions,
): string {
  const [only] = objects
  if (objects.length === 1 && only) return `${only.apiVersion}, Kind=${only.kind}`
  return `${desiredAPIVersion}, Kind=${listKind}`
}

/** As upstream answers: 500, without a reason. */
function failure(message: string, cause?: unknown): ApiError {
  const error = new ApiError(500, '', message)
  if (cause !== undefined) error.cause = cause
  return error
}

interface Waiting {
  readonly object: ApiObject
  readonly index: number
}

/** In order, as many in each as the byte limit allows, and at least one: an object is never split. */
function batchesOf(
  waiting: readonly Waiting[],
  maxBytes: number,
): ReadonlyArray<{ readonly start: number; readonly items: readonly Waiting[] }> {
  const [only, ...more] = waiting
  if (only && more.length === 0) return [{ start: 0, items: [only] }]
  const batches: Array<{ start: number; items: Waiting[] }> = []
  let bytes = 0
  for (const [start, each] of waiting.entries()) {
    const length = JSON.stringify(each.object).length
    const last = batches.at(-1)
    if (last && bytes + length <= maxBytes) {
      last.items.push(each)
      bytes += length
    } else {
      batches.push({ start, items: [each] })
      bytes = length
    }
  }
  return batches
}
