#!/bin/sh
# transactions.sh: the table of card payments in data/transactions.csv, made up
# and always the same: 2,600 payments of 260 cards in 60 shops over four weeks.
# Stolen cards are tried out with small amounts and then used up within the
# hour, mostly in shops that take part; people out shopping pay as fast. About
# half of the older payments were looked into, of the last 500 none.
#
#     scripts/transactions.sh > data/transactions.csv
set -eu

exec awk '
function draw(n) {
    seed = (seed * 16807) % 2147483647
    return int(seed / 2147483647 * n)
}

function pay(card, shop, city, amount, bad) {
    rows++
    at[rows] = minute
    line[rows] = sprintf("c%03d,s%02d,%s,%.2f", card, shop, city, amount)
    fraud[rows] = bad
}

function stolen(card, i, n, shop) {
    n = 3 + draw(6)
    for (i = 0; i < n; i++) {
        minute += 1 + draw(9)
        shop = draw(10) < 6 ? 50 + draw(10) : draw(50)
        pay(card, shop, draw(3) ? "online" : home[card],
            i < 2 ? 1 + draw(900) / 100 : 20 + draw(14000) / 100, 1)
    }
}

function spree(card, i, n) {
    n = 3 + draw(4)
    for (i = 0; i < n; i++) {
        minute += 1 + draw(14)
        pay(card, draw(50), draw(3) ? home[card] : "online",
            5 + draw(12000) / 100, 0)
    }
}

BEGIN {
    seed = 20250301
    split("Berlin Bonn Kiel Mainz Trier Ulm Worms", city, " ")
    for (c = 0; c < 260; c++) {
        home[c] = city[1 + draw(7)]
        means[c] = 8 + draw(60)
    }
    for (s = 0; s < 60; s++)
        level[s] = 5 + draw(50)
    while (rows < 2600) {
        minute += 1 + draw(22)
        c = draw(260)
        dice = draw(100)
        s = draw(100) < 10 ? 50 + draw(10) : draw(50)
        if (dice < 3)
            stolen(c)
        else if (dice < 7)
            spree(c)
        else
            pay(c, s, draw(5) ? home[c] : "online",
                1 + (means[c] + level[s]) * (20 + draw(180)) / 100, 0)
    }
    print "id,minute,card,shop,city,amount,fraud"
    for (i = 1; i <= 2600; i++) {
        known = i <= 2100 && draw(100) < 45
        printf "t%04d,%d,%s,%s\n", i, at[i], line[i],
            known ? (fraud[i] ? "yes" : "no") : ""
    }
}'
