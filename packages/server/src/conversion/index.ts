export { type AskToConvert, type WebhookConverterOptions, webhookConverter } from './webhook-converter.ts'
