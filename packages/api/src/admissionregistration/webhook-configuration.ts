import { ageColumn, type Column, nameColumn } from '../machinery/columns.ts'
import { defineResource, type ResourceDefinition } from '../machinery/define-resource.ts'
import { identityVersion } from '../machinery/identity-version.ts'
import { validateWebhooks, validateWebhooksUpdate } from './validate-webhooks.ts'
import {
  admissionRegistrationGroup,
  applyMutatingDefaults,
  applyWebhookDefaults,
  type WebhookConfiguration,
} from './webhook.ts'
import { mutatingSchema, validatingSchema } from './webhook-schemas.ts'

const webhooksColumn: Column<WebhookConfiguration> = {
  name: 'Webhooks',
  type: 'integer',
  description: 'Webhooks indicates the number of webhooks registered in this configuration',
  cell: ({ webhooks }) => webhooks?.length ?? 0,
}

function defineConfiguration(
  kind: string,
  version: ReturnType<typeof identityVersion<WebhookConfiguration>>,
): ResourceDefinition<WebhookConfiguration> {
  const plural = `${kind.toLowerCase()}s`
  return defineResource<WebhookConfiguration>({
    group: admissionRegistrationGroup,
    kind,
    plural,
    scope: 'Cluster',
    categories: ['api-extensions'],
    typed: true,
    versions: { v1: version },
    preferredStorageVersion: 'v1',
    storagePrefix: plural,
    columns: [nameColumn, webhooksColumn, ageColumn],
    strategy: {
      tracksGeneration: true,
      validateCreate: validateWebhooks,
      validateUpdate: validateWebhooksUpdate,
    },
  })
}

/** Registers webhooks that can change objects before they are stored, or reject requests. */
export const mutatingWebhookConfigurations = defineConfiguration(
  'MutatingWebhookConfiguration',
  identityVersion(mutatingSchema, applyMutatingDefaults),
)

/** Registers webhooks that can reject requests. */
export const validatingWebhookConfigurations = defineConfiguration(
  'ValidatingWebhookConfiguration',
  identityVersion(validatingSchema, applyWebhookDefaults),
)
