export { responseProblem } from './response-problem.ts'
export {
  createWebhookClient,
  type WebhookCall,
  WebhookCallFailed,
  type WebhookClient,
  type WebhookClientOptions,
} from './webhook-client.ts'
