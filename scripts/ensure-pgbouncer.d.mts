export declare function findPgBouncer(): string | null;
