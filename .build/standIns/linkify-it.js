// The page finds addresses by itself, and the service makes no links of them.
export class LinkifyIt {}
