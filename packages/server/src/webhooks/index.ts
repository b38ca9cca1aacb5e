export { responseProblem } from './response-problem.ts'
export { createWebhookClient, WebhookCallFailed, type WebhookClient } from './webhook-client.ts'
