export { type Converter, type WebhookConverterOptions, webhookConverter } from './webhook-converter.ts'
