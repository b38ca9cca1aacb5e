export { webhookConverter } from './webhook-converter.ts'
