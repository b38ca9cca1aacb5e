import { type ApiObject, isJsonObject, type JsonObject, jsonTypeName } from '@strata/api'

const group = 'apiextensions.k8s.io'
const known = ['v1', 'v1beta1'] as const

export type ReviewVersion = (typeof known)[number]

/** The webhook broke the contract. The message is upstream's. */
export class ConversionProblem extends Error {
  override readonly name = 'ConversionProblem'
}

/** The first version that the webhook understands and this server can send. */
export function chooseReviewVersion(understood: readonly string[]): ReviewVersion | undefined {
  for (const each of understood) {
    const found = known.find((other) => other === each)
    if (found) return found
  }
  return undefined
}

export function conversionReview(
  reviewVersion: ReviewVersion,
  uid: string,
  objects: readonly ApiObject[],
  desiredAPIVersion: string,
): JsonObject {
  return {
    kind: 'ConversionReview',
    apiVersion: `${group}/${reviewVersion}`,
    request: { uid, desiredAPIVersion, objects },
    // Upstream sends it too, and some webhooks fill it in place.
    response: { uid: '', convertedObjects: null, result: { metadata: {} } },
  }
}

/** The objects in a successful response; otherwise throws the webhook's error, or what is wrong with the response. */
export function convertedObjectsIn(
  review: Readonly<Record<string, unknown>>,
  reviewVersion: ReviewVersion,
  uid: string,
): readonly unknown[] {
  // v1beta1 does not require this.
  const isStrict = reviewVersion === 'v1'
  const wanted = `${group}/v1, Kind=ConversionReview`
  const got = `${kindText(review['apiVersion'])}, Kind=${textOr(review['kind'], '')}`
  if (isStrict && got !== wanted) {
    throw new ConversionProblem(`expected webhook response of ${wanted}, got ${got}`)
  }
  const response = review['response'] ?? undefined
  if (response === undefined) throw new ConversionProblem('no response provided')
  if (!isJsonObject(response)) throw wrongType('response', 'ConversionResponse', response, reviewVersion)
  if (isStrict && response['uid'] !== uid) {
    const found = JSON.stringify(textOr(response['uid'], ''))
    throw new ConversionProblem(`expected response.uid=${JSON.stringify(uid)}, got ${found}`)
  }
  const result = response['result'] ?? {}
  const { status, message } = isJsonObject(result) ? result : {}
  if (status !== 'Success') {
    const said = textOr(message, '')
    throw new ConversionProblem(
      said === '' ? `response.result.status was '${textOr(status, '')}', not 'Success'` : said,
    )
  }
  const objects = response['convertedObjects'] ?? []
  if (!Array.isArray(objects)) throw wrongType('convertedObjects', 'RawExtension', objects, reviewVersion)
  return objects
}

function wrongType(field: string, type: string, found: unknown, reviewVersion: string): ConversionProblem {
  return new ConversionProblem(
    `json: cannot unmarshal ${jsonTypeName(found)} into Go struct field ConversionReview.${field} of type ${reviewVersion}.${type}`,
  )
}

const textOr = (value: unknown, other: string): string => (typeof value === 'string' ? value : other)

/** Go writes a missing group and version as a slash. */
const kindText = (apiVersion: unknown): string => textOr(apiVersion, '') || '/'
