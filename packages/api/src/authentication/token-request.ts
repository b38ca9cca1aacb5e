import { defineResource } from '../machinery/define-resource.ts'
import { type FieldError, invalid } from '../machinery/field-error.ts'
import {
  identityVersion,
  objectSchema,
  structSchema,
  text,
  textList,
  time,
} from '../machinery/identity-version.ts'
import { comparable } from '../machinery/patch/raw-number.ts'
import type { Schema } from '../machinery/schema.ts'
import type { ApiObject } from '../meta/object.ts'

/** Requests a token for a service account. Never stored: only the response contains the token. */
export interface TokenRequest extends ApiObject {
  spec: {
    audiences?: string[]
    expirationSeconds?: number
    /** The token is good for as long as this object is there. */
    boundObjectRef?: BoundObjectReference | null
  }
  status?: { token: string; expirationTimestamp: string }
}

export interface BoundObjectReference {
  kind?: string
  apiVersion?: string
  name?: string
  uid?: string
}

const defaultSeconds = 60 * 60
const leastSeconds = 10 * 60
const mostSeconds = 2 ** 32

function applyDefaults(request: TokenRequest): void {
  request.spec.expirationSeconds ??= defaultSeconds
}

function validate({ spec }: TokenRequest): FieldError[] {
  const { expirationSeconds: given = 0 } = spec
  const seconds = comparable(given)
  const path = 'spec.expirationSeconds'
  if (seconds < leastSeconds) return [invalid(path, given, 'may not specify a duration less than 10 minutes')]
  if (seconds > mostSeconds) {
    return [invalid(path, given, 'may not specify a duration larger than 2^32 seconds')]
  }
  return []
}

const boundObjectRef = structSchema(
  'BoundObjectReference',
  'An object that bounds the lifetime of a token.',
  {
    kind: { ...text, description: 'Pod, Secret or Node.' },
    apiVersion: { ...text, description: 'The API version of the object.' },
    name: { ...text, description: 'Its name.' },
    uid: { ...text, description: 'Its uid.' },
  },
)

const schema: Schema = {
  ...objectSchema(
    {
      spec: {
        ...structSchema(
          'TokenRequestSpec',
          'The requested properties of the token.',
          {
            audiences: {
              ...textList,
              nullable: true,
              'x-kubernetes-list-type': 'atomic',
              description: 'The audiences of the token. Others must reject it.',
            },
            expirationSeconds: {
              type: 'integer',
              format: 'int64',
              nullable: true,
              description: 'How long the token is valid, in seconds.',
            },
            boundObjectRef: {
              ...boundObjectRef,
              nullable: true,
              description: 'The token is valid only while this object exists.',
            },
          },
          ['audiences'],
        ),
        default: {},
        description: 'The requested token.',
      },
      status: {
        ...structSchema(
          'TokenRequestStatus',
          'The token.',
          {
            token: { ...text, description: 'The token. It is shown only once.' },
            expirationTimestamp: { ...time, description: 'When the token expires.' },
          },
          ['token', 'expirationTimestamp'],
        ),
        description: 'The answer.',
      },
    },
    ['spec'],
  ),
  description: 'Requests a token for a service account.',
}

/** Not among the served resources: it is what `serviceaccounts/token` takes and gives. */
export const tokenRequests = defineResource<TokenRequest>({
  group: 'authentication.k8s.io',
  kind: 'TokenRequest',
  plural: 'tokenrequests',
  scope: 'Namespaced',
  typed: true,
  versions: {
    v1: identityVersion<TokenRequest>(schema, applyDefaults),
  },
  preferredStorageVersion: 'v1',
  storagePrefix: 'tokenrequests',
  strategy: { validate },
})
