import { internalError, type ResourceDefinition } from '@strata/api'
import type { Authenticator } from '../authentication/index.ts'
import type { Authorizer } from '../authorization/index.ts'
import { softwareRelease } from '../configuration/index.ts'
import { type Coordinator, prunePersisted } from '../coordination/index.ts'
import type { CustomResources } from '../custom-resources/index.ts'
import {
  decodeObject,
  type Reviewers,
  selfSubjectReview,
  storageCensus,
  storageReencode,
  tokenReview,
  upgradeReview,
} from '../handlers/index.ts'
import { catchUp, type Registry } from '../registry/index.ts'

export interface ReviewParts {
  readonly registry: Registry
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
  readonly coordinator: Coordinator
  readonly custom: CustomResources
  readonly definitions: readonly ResourceDefinition[]
}

/** The reviewers of all review kinds, except those of access control. */
export function createReviewers(parts: ReviewParts): Reviewers {
  return { ...identityReviewers(parts), ...storageReviewers(parts) }
}

function identityReviewers({ registry, authenticator }: ReviewParts): Reviewers {
  return {
    'selfsubjectreviews.authentication.k8s.io': selfSubjectReview(registry.world.clock),
    'tokenreviews.authentication.k8s.io': tokenReview(async (token, audiences, signal) => {
      const verdict = await authenticator.review(token, signal, audiences)
      if (verdict === 'foreign') return { error: 'invalid bearer token' }
      return 'refused' in verdict ? { error: `[invalid bearer token, ${verdict.refused}]` } : verdict
    }),
  }
}

/** Reviews that read and write the store in bulk. */
function storageReviewers(parts: ReviewParts): Reviewers {
  const { registry, authorizer, coordinator, custom, definitions } = parts
  const { api, store, world } = registry
  const instancesOf = custom.instancesOfResource.bind(custom)
  return {
    'storagecensuses.strata.dev': storageCensus(authorizer, {
      ...{ api, store, instancesOf, clock: world.clock },
      catchUp: async (signal) => {
        await catchUp(registry, signal)
      },
      forgetEmpty: async (resource, signal) => {
        try {
          const { outcome } = await coordinator.forgetEmpty(resource, signal)
          return outcome === 'forgotten'
        } catch (error) {
          world.log.warn(
            'could not clear the stored versions of an empty resource from its agreement record',
            {
              ...resource,
              error: String(error),
            },
          )
          return false
        }
      },
      settle: async (resource, proof, signal) => {
        // The census is valid even if this write fails; the next census repeats it.
        await prunePersisted(coordinator.records, resource, proof, signal).catch((error: unknown) => {
          world.log.warn('could not record the result of a storage census', {
            ...resource,
            error: String(error),
          })
        })
      },
    }),
    'storagereencodes.strata.dev': storageReencode(authorizer, {
      ...{ registry, instancesOf },
      decode: (object, resource) => decodeObject(object, resource, () => {}, internalError),
    }),
    'upgradereviews.strata.dev': upgradeReview(registry, definitions, softwareRelease),
  }
}
