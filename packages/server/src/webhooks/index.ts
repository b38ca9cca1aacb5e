export { createWebhookClient, WebhookCallFailed, type WebhookClient } from './webhook-client.ts'
