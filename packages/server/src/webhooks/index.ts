export { parseServiceMappings, type ServiceResolver, type WebhookService } from './service-resolver.ts'
export {
  createWebhookClient,
  type WebhookCall,
  WebhookCallFailed,
  type WebhookClient,
  type WebhookClientOptions,
} from './webhook-client.ts'
