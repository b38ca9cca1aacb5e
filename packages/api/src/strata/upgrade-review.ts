import { defineReview } from '../machinery/define-review.ts'
import { duplicate, type FieldError, fieldForbidden, required } from '../machinery/field-error.ts'
import { objectSchema, structSchema, text, textList } from '../machinery/identity-version.ts'
import type { Schema } from '../machinery/schema.ts'
import type { ApiObject } from '../meta/object.ts'
import type { ExplainedVerdict, UpgradeVerdict } from './decide-upgrade.ts'
import { resourceProperties } from './resource-question.ts'

/** What the target can read, told by whoever asks. */
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

const verdict = structSchema('ResourceVerdict', 'Whether what is stored of one resource can be read.', {
  ...resourceProperties,
  verdict: { ...text, description: 'Safe, Unsafe or CouldNotSee.' },
  reason: { ...text, description: 'Why, in one word.' },
  message: { ...text, description: 'Why, for people.' },
  missing: { ...list, description: 'The versions that may be stored and cannot be read.' },
  persistedVersions: { ...list, description: 'The versions that may be stored.' },
  decodableVersions: { ...list, description: 'The versions that the target can read.' },
  advice: { ...text, description: 'What to do about what is unsafe, for people.' },
})

export const upgradeReviews = defineReview<UpgradeReview>({
  group: 'strata.dev',
  kind: 'UpgradeReview',
  versionName: 'v1alpha1',
  scope: 'Cluster',
  schema: {
    ...objectSchema(
      {
        spec: {
          ...structSchema('UpgradeReviewSpec', 'The release that is asked about; one of the two.', {
            release: { ...text, description: 'A release that the kinds of this server know by name.' },
            resources: {
              type: 'array',
              'x-kubernetes-list-type': 'atomic',
              items: structSchema('ReviewedResource', 'What the release can read of one resource.', {
                ...resourceProperties,
                decodableVersions: { ...list, description: 'The versions that it can read.' },
              }),
              description: 'What the release can read, where this server does not know it.',
            },
          }),
          default: {},
          description: 'The release that is asked about.',
        },
        status: {
          ...structSchema('UpgradeReviewStatus', 'Whether all that is stored can be read.', {
            verdict: { ...text, description: 'Safe, Unsafe or CouldNotSee.' },
            resources: {
              type: 'array',
              'x-kubernetes-list-type': 'atomic',
              items: verdict,
              description: 'Resource by resource, the worst first.',
            },
          }),
          description: 'The answer.',
        },
      },
      ['spec'],
    ),
    description: 'Asks: can a release read all that is stored?',
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
    return [fieldForbidden('spec.resources', 'may not be said together with spec.release'), ...problems]
  }
  if (release === '' && resources.length === 0) {
    return [required('spec.release', 'name a release, or say in spec.resources what it can read')]
  }
  return problems
}

/**
 * Stands in what a server says of objects that its release cannot decode. Whoever has started it knows by that that waiting does
 * not help; of those whose version nobody knows because they cannot be decrypted, it is not said.
 */
export const cannotDecodePhrase = 'cannot decode'
