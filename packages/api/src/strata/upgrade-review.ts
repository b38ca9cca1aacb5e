import { defineReview } from '../machinery/define-review.ts'
import { duplicate, type FieldError, fieldForbidden, required } from '../machinery/field-error.ts'
import { objectSchema, structSchema, text, textList } from '../machinery/identity-version.ts'
import type { Schema } from '../machinery/schema.ts'
import type { ApiObject } from '../meta/object.ts'
import type { ExplainedVerdict, UpgradeVerdict } from './decide-upgrade.ts'
import { resourceProperties } from './reviewed-resource.ts'

/** What the target can decode, as the client states it. */
export interface ReviewedResource {
  readonly group?: string
  readonly resource: string
  readonly decodableVersions?: readonly string[]
}

/** "Can this release read all that is stored?" Exactly one of the two says what the release is. */
export interface UpgradeReview extends ApiObject {
  spec: {
    /** One that the kinds of this server know. */
    readonly release?: string
    readonly resources?: readonly ReviewedResource[]
  }
  status?: {
    readonly verdict: UpgradeVerdict
    readonly resources: readonly ExplainedVerdict[]
  }
}

const list: Schema = { ...textList, 'x-kubernetes-list-type': 'atomic' }

const verdict = structSchema(
  'ResourceVerdict',
  'Whether the release can decode the stored objects of one resource.',
  {
    ...resourceProperties,
    verdict: { ...text, description: 'Safe, Unsafe or CouldNotSee.' },
    reason: { ...text, description: 'A machine-readable reason, in CamelCase.' },
    message: { ...text, description: 'A human-readable explanation.' },
    missing: { ...list, description: 'The versions that may be stored and cannot be decoded.' },
    persistedVersions: { ...list, description: 'The versions that may be stored.' },
    decodableVersions: { ...list, description: 'The versions that the release can decode.' },
    advice: { ...text, description: 'What to do if the verdict is Unsafe.' },
  },
)

export const upgradeReviews = defineReview<UpgradeReview>({
  group: 'strata.dev',
  kind: 'UpgradeReview',
  versionName: 'v1alpha1',
  scope: 'Cluster',
  schema: {
    ...objectSchema(
      {
        spec: {
          ...structSchema('UpgradeReviewSpec', 'The release to check. Set one of the two fields.', {
            release: { ...text, description: 'The name of a release that this server knows.' },
            resources: {
              type: 'array',
              'x-kubernetes-list-type': 'atomic',
              items: structSchema('ReviewedResource', 'What the release can decode of one resource.', {
                ...resourceProperties,
                decodableVersions: { ...list, description: 'The versions that the release can decode.' },
              }),
              description: 'What the release can decode, if this server does not know the release.',
            },
          }),
          default: {},
          description: 'The release to check.',
        },
        status: {
          ...structSchema('UpgradeReviewStatus', 'Whether the release can decode all stored objects.', {
            verdict: { ...text, description: 'Safe, Unsafe or CouldNotSee.' },
            resources: {
              type: 'array',
              'x-kubernetes-list-type': 'atomic',
              items: verdict,
              description: 'The verdict of each resource, the worst first.',
            },
          }),
          description: 'The answer.',
        },
      },
      ['spec'],
    ),
    description: 'Checks whether a release can decode all stored objects.',
  },
})

export function validateUpgradeReview({ spec }: Pick<UpgradeReview, 'spec'>): FieldError[] {
  const { release = '', resources = [] } = spec ?? {}
  const seen = new Set<string>()
  const problems = resources.flatMap(({ group = '', resource = '' }, index) => {
    const name = `${resource}.${group}`
    const isRepeated = seen.has(name)
    seen.add(name)
    return [
      ...(resource === '' ? [required(`spec.resources[${index}].resource`)] : []),
      ...(isRepeated && resource !== '' ? [duplicate(`spec.resources[${index}]`, name)] : []),
    ]
  })
  if (release !== '' && resources.length > 0) {
    return [fieldForbidden('spec.resources', 'may not be set together with spec.release'), ...problems]
  }
  if (release === '' && resources.length === 0) {
    return [
      required(
        'spec.release',
        'set spec.release to a known release, or list in spec.resources what the release can decode',
      ),
    ]
  }
  return problems
}

/**
 * Part of the message about objects that the server's release cannot decode. The parent process finds it in the output, and
 * then does not wait for the server. Objects whose version is unknown because they cannot be decrypted get another message.
 */
export const cannotDecodePhrase = 'cannot decode'
